// Lab: edit a drawn scene, judge a picture, draw a scene for a caption.

import { placeOfParts } from "../shell/parts.js";
import { editPart } from "./edit.js";
import { generatePart } from "./generate.js";
import { judgePart } from "./judge.js";

export const build = (app) => placeOfParts(app, "lab_page", { edit: editPart, judge: judgePart, generate: generatePart });
