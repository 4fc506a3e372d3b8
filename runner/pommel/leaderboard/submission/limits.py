"""How much a submission may hold, and what has been used of it."""

from dataclasses import dataclass

from pommel.leaderboard.submission.errors import SubmissionError

MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a submission may hold.

    `n_archive_bytes` are those of the file, `n_file_bytes` those of one file in it, unpacked,
    `n_bytes` those of all; together they have at most `ratio` times the archive's bytes (and 1
    MiB). The manifest and the results of a suite are read as a whole, surprisals line by line:
    `n_line_bytes` bounds a sentence with its tokens. `surprisal_bits` is the largest surprisal of a
    token.
    """

    n_archive_bytes: int = 64 * MIB
    n_files: int = 2_001
    n_manifest_bytes: int = 4 * MIB
    n_results_bytes: int = 16 * MIB
    n_file_bytes: int = 128 * MIB
    n_bytes: int = 256 * MIB
    ratio: int = 100
    n_line_bytes: int = MIB
    n_sentences: int = 200_000
    n_tokens: int = 2_000_000
    surprisal_bits: float = 100_000.0


@dataclass(slots=True, kw_only=True)
class Counted:
    """How many sentences and tokens of a submission have been read so far."""

    limits: Limits
    n_sentences: int = 0
    n_tokens: int = 0

    def add(self, n_tokens: int, where: str) -> None:
        """Count a sentence; raises `SubmissionError` if it is one too many."""
        self.n_sentences += 1
        self.n_tokens += n_tokens
        if self.n_sentences > self.limits.n_sentences:
            most = self.limits.n_sentences
            raise SubmissionError(f"{where}: the submission has more than {most:,} sentences")
        if self.n_tokens > self.limits.n_tokens:
            most = self.limits.n_tokens
            raise SubmissionError(f"{where}: the submission has more than {most:,} tokens")
