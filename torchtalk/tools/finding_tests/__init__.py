"""How tests are found and ranked for a subject: by what they use, by their names, by what is near."""
