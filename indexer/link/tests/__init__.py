"""Parts of the link step that makes tests of what the files tell."""
