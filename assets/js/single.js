// The entry of single-file pages outside a notebook.

import { mount as lesson } from "./lesson/lesson.js";
import { showPage } from "./notebook/show.js";
import { mount as why } from "./why/why.js";

showPage({ lesson, why });
