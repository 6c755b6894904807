// The entry of views that stand on a page that is one file, and in no notebook.

import { mount as lesson } from "./lesson/lesson.js";
import { showPage } from "./notebook/show.js";
import { mount as why } from "./why/why.js";

showPage({ lesson, why });
