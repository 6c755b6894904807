"""The generator as the app uses it: a request, its steps, a precomputed drawing, and where a drawing ranks."""
