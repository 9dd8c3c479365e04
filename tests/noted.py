"""What the notes of an answer say."""


def noted(answer, code=None):
    """The texts of all notes, or of those with a code, one after the other."""
    return " ".join(note.text for note in answer.notes if code in (None, note.code))
