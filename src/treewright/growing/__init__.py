"""Growing a tree: the recipe of every choice, its parameters, missing policies and criteria of the user."""
