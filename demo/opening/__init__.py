"""The page before the app: the worked example is there while torch, Gradio and the model still load."""
