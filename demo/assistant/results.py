"""What the tools answer with: an assistant is given these as schemas."""

from pydantic import BaseModel, Field

SCORE = "S(I, T), the similarity of image and caption; higher fits better, and it has no fixed ends"


class Photograph(BaseModel):
    """A photograph of a gallery."""

    item: str = Field(description="what the other tools take as `item`")
    title: str
    captions: list[str] = Field(description="written for it")
    credit: str
    licence: str


class Galleries(BaseModel):
    """Photographs that can be ranked and explained."""

    galleries: dict[str, list[Photograph]]
    left_out: dict[str, int] = Field(
        description="photographs that follow, by gallery, where the list would be too long: call again with start"
    )


class RankedPhotograph(BaseModel):
    """A photograph's place in a ranking."""

    rank: int = Field(ge=1)
    item: str
    title: str
    score: float = Field(description=SCORE)


class PhotographRanking(BaseModel):
    """Photographs for a caption, the best first."""

    ranking: list[RankedPhotograph]
    total: int = Field(description="how many were searched")
    model: str
    note: str = Field(description="what the model may not read of the caption; empty where there is nothing to say")


class RankedCaption(BaseModel):
    """A caption's place in a ranking."""

    rank: int = Field(ge=1)
    caption: str
    score: float = Field(description=SCORE)
    correct: bool | None = Field(description="whether it was written for this photograph; null where nobody knows")


class CaptionRanking(BaseModel):
    """Captions for a photograph, the best first."""

    ranking: list[RankedCaption]
    total: int


class Explanation(BaseModel):
    """Result of one caption on one photograph, next to a picture of the layer."""

    similarity: float = Field(description=SCORE)
    terms: dict[str, float] = Field(description="they add up to the similarity")
    kept_patches: int
    patches: int
    grid: list[int] = Field(description="[rows, columns] of patches")
    mask: list[str] = Field(
        description="a text a row of the grid, # where the patch was kept and . where it was dropped"
    )
    sentences: list[str] = Field(
        description="what the layer shows, and the token that each word of the caption met best"
    )
    note: str


class Compared(BaseModel):
    """Which patches several captions kept of one photograph."""

    captions: list[str]
    scores: list[float] = Field(description=SCORE)
    overlap: list[list[float]] = Field(description="of every two kept sets, intersection over union")


class WordAttribution(BaseModel):
    """A word's part in both similarities."""

    word: str
    left: float | None
    right: float | None
    difference: float


class Contrast(BaseModel):
    """Why the left pair scores otherwise than the right one."""

    sentences: list[str]
    left: float = Field(description=SCORE)
    right: float = Field(description=SCORE)
    difference: float = Field(description="left minus right: what words and the rest add up to")
    words: list[WordAttribution]


class Score(BaseModel):
    """A judgement: `final` in [0, 1] is `base` with its correction."""

    base: float
    correction: float
    final: float
    sentence: str


class Judgement(BaseModel):
    """Quality of a picture, and its consistency with the prompt."""

    quality: Score
    consistency: Score
    note: str


class Statement(BaseModel):
    """A statement of a caption, and whether it is read in the picture."""

    statement: str
    verdict: str = Field(description="true, untrue or untold, according to a captioner")


class UnknownWord(BaseModel):
    """A word that the generator does not know."""

    word: str
    nearest: list[str] = Field(description="known words of a similar spelling, the nearest first")


class Drawn(BaseModel):
    """A scene that was drawn for a caption; the picture stands beside it."""

    caption: str
    seed: int
    similarity: float = Field(description=SCORE)
    rank: int = Field(description="of the picture among the gallery's scenes for this caption")
    total: int
    statements: list[Statement]
    unknown_words: list[UnknownWord] = Field(description="drawn as [UNK]: ask again with words that are known")
    note: str
