"""Accuracy of explanations, measured against the boxes or masks of the objects that captions name.

    python -m seps.grounding --model photos --data DIR --split dev --json results.json

Every caption of `{split}_entities.jsonl` with a phrase that has boxes and is not a scene is explained on its image,
without dense captions. Regions are pixel masks if `{split}_scenes.jsonl` exists, otherwise boxes.

    energy inside     the share of a phrase's map, the mean of its tokens' word maps, inside its region;
                      patches count by overlap
    pointing game     whether the centre of the map's heaviest patch is inside; ties count as misses
    kept rates        the share of patches that the caption's decision mask keeps: on objects that the caption mentions,
                      on the image's other objects (with boxes: those that its other captions mention), on the
                      background; patches count by overlap, all captions' together; and the first over the last
    deletion,         the area under S(I, T) as patches are removed, or added, in the picture's order: the sum of the
    insertion         word maps of all of the caption's words, of equal ones the higher significance score first; the
                      score without patches is 0, with all 1; see `seps.evaluation.grounding.curves`

The word maps are compared with maps of effects and with baselines; each keeps the first patches of its order, as many
as the decision mask:

    effect     a patch's worth, see `seps.explanation.effects`: the phrase's words' shares of the word-to-patch mean
               with the patch kept minus those with it dropped, others unchanged, where above 0; for the caption
               S(I, T)
    blanked    the loss of these shares, or of S(I, T), if the patch's embedding is replaced by the image's mean patch
    cosine     the model's own patches and words without selection and merging: a phrase's mean cosine, counted from
               the lowest, and the sum over all words
    gradient   gradient times input, of the phrase's words' best cosines, and of S(I, T)
    centre     a Gaussian blob around the centre, a quarter of width and height its standard deviation; for pointing the
               central patch, the mean over the 2 or 4 central ones where a side is even
    random     any patch, expected; for deletion and insertion an order drawn for each caption

Whether maps and masks follow the caption is measured in `seps.evaluation.grounding.contrast`.

All figures come with 95% intervals, by bootstrap over images. `seps.data.objects` reads the regions, `maps` and
`baselines` compute maps, `measures` and `curves` measure one, `collect` measures a split, `report` prints the result.
"""

from seps.data.objects import read_scenes
from seps.evaluation.grounding.collect import ground
from seps.evaluation.grounding.contrast import contrast
from seps.evaluation.grounding.contrast_report import Contrast
from seps.evaluation.grounding.report import Grounding, Pointing

__all__ = ["Contrast", "Grounding", "Pointing", "contrast", "ground", "read_scenes"]
