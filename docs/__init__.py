"""The pages, and what makes the generated parts of them: `python -m docs`."""
