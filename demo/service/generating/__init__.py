"""Image generation in the app: requests, steps, a precomputed drawing, and the rank of a drawing."""
