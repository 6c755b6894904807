"""The page on `gradio.Server`: its HTML, its endpoints and its pictures. View state lives in the browser."""
