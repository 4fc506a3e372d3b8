"""What models over words share: how a sentence is cut, and which marks stand around it."""
