// The entry of a view in a notebook, or on a page that is one file.

import { mount as compare } from "./compare/compare.js";
import { showPage } from "./notebook/show.js";
import { mount as viewer } from "./viewer/viewer.js";

showPage({ compare, viewer });
