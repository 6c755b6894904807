"""What measures a model on data: recall, the drawn scenes told finer, and whether its pictures are right."""
