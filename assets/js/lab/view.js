// Lab: edit a drawn scene, judge a picture, draw a scene for a caption.

import { placeOfParts } from "../shell/parts.js";
import { register } from "../shell/places.js";
import { editPart } from "./edit.js";
import { generatePart } from "./generate.js";
import { judgePart } from "./judge.js";

register("lab", (app) => placeOfParts(app, "lab_page", { edit: editPart, judge: judgePart, generate: generatePart }));
