"""Judge: how good a picture looks, and how well it fits its prompt."""
