"""Edit: a scene is changed, and ranking and picture follow."""
