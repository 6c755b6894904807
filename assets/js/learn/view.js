// Learn: the method step by step, the losses, and the paper next to its code.

import { placeOfParts } from "../shell/parts.js";
import { lessonPart } from "./lesson.js";
import { lossesPart } from "./losses.js";
import { paperPart } from "./paper.js";

export const build = (app) => placeOfParts(app, "learn_page", { lesson: lessonPart, losses: lossesPart, paper: paperPart });
