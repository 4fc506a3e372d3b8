"""The steps of a study: commands of pommel, each with what it needs and what it makes.

All paths are below the study's folder, in which the commands run; what a reader would type there is
the same. Nothing here does anything.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from pommel.studies.study import (
    LANGUAGE,
    MATERIALS,
    RATINGS,
    STUDY,
    VARIANTS,
    Kind,
    Materials,
    Models,
    Published,
    Runs,
    ScaleName,
    Study,
    Told,
    Variants,
    at_scale,
    words_at,
)
from pommel.values import frozen

OWN_STORE, PUBLISHED_STORE = "store.sqlite", "published.sqlite"
REPORT = "report.html"
OFFLINE = "--offline"
# Not a command of pommel: texts one behind the other.
JOIN = "cat"

# Folders of what others have published, and of variants of suites, and what the steps are called
# that bring them.
_BRINGING = {"published": "fetch", MATERIALS: MATERIALS, VARIANTS: VARIANTS}

_SCHEMES = {"lstm": "lstm", "ngram": "ngram", "transformer": "huggingface"}


@frozen
class Step:
    """A command of pommel, `words` without the program, and what it is called.

    `machine` are those of its words that say where and how it is done, and change nothing of what
    comes out: a step that is done is not known by them. `needs` are the names of the steps that
    have to be done before, `makes` the paths that are there afterwards, `reads` the paths of what
    is read from outside the study's folder. `output` is the file that has what it prints. What is
    `optional` may fail: what needs it is left out then.
    """

    name: str
    words: tuple[str, ...]
    machine: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    output: str = ""
    optional: bool = False

    @property
    def line(self) -> str:
        """The command as one might type it in the study's folder; patterns are the shell's."""
        told = (*self.words, *self.machine)
        words = (each if _is_pattern(each) else shlex.quote(each) for each in told)
        program = () if self.words[0] == JOIN else ("pommel",)
        output = (">", shlex.quote(self.output)) if self.output else ()
        return " ".join([*program, *words, *output])

    def expanded(self, folder: Path) -> list[str]:
        """Return the words with the files that patterns match below the folder."""
        found = []
        for each in (*self.words, *self.machine):
            files = sorted(folder.glob(each)) if _is_pattern(each) else []
            found += [str(path.relative_to(folder)) for path in files] or [each]
        return found


def _outside(words: Iterable[str]) -> tuple[str, ...]:
    """Return those words that are paths outside of the study's folder."""
    return tuple(each for each in words if Path(each).is_absolute())


def _bringing(word: str) -> str:
    """Return the name of the step that brings a file, "" for a word that is no such file."""
    folder, *others = Path(word).parts or ("",)
    return f"{_BRINGING[folder]}-{others[0]}" if others and folder in _BRINGING else ""


def _brought(words: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the steps that bring what words name."""
    return tuple(dict.fromkeys(filter(None, map(_bringing, words))))


def _without(options: Sequence[str], words: Iterable[str]) -> tuple[str, ...]:
    """Return options and their values without those that words give another value."""
    said = {each.partition("=")[0] for each in words}
    pairs = zip(options[::2], options[1::2], strict=True)
    return tuple(word for each in pairs if each[0] not in said for word in each)


def _is_pattern(word: str) -> bool:
    return bool(_bringing(word)) and "*" in word


@frozen
class Asked:
    """What was asked of a study: its scale, and what a machine or a reader adds.

    `corpora` are texts by language, in place of generated ones; `ratings` are tables of what people
    say of the suites' sentences, by what these people are called ("": as usual). `launch` is what
    `pommel launch` is told at the scale of the paper (`slurm --partition gpu`). `offline` fetches
    nothing. `device`, `dtype` and `max_memory` (`8G`) are those of `pommel run`; "" is what it
    takes by itself. LSTMs are trained on that device, too. Of these, only the number format changes
    a result.
    """

    scale: ScaleName = "tiny"
    corpora: Mapping[str, Path] = field(default_factory=dict)
    ratings: Mapping[str, Path] = field(default_factory=dict)
    launch: str = "local"
    offline: bool = False
    device: str = ""
    dtype: str = ""
    max_memory: str = ""

    def machine(self, *, is_scoring: bool = True) -> tuple[str, ...]:
        """Return the options that say where models score, or otherwise where one is trained."""
        # A training has one device.
        device = self.device if is_scoring else self.device.partition(",")[0]
        told = {"--device": device, "--max-memory": self.max_memory if is_scoring else ""}
        return tuple(word for each in told.items() if each[1] for word in each)

    @property
    def fetching(self) -> tuple[str, ...]:
        """The options that say whether anything is fetched."""
        return (OFFLINE,) if self.offline else ()


@frozen
class StudySteps:
    """The steps of a study, each behind those that it needs.

    `generated` are the languages of which pommel generates the text, `missing_corpora` those of
    which the scale of the paper needs one that nobody has given; `hours` is how long the trainings
    may take that somebody has told of.
    """

    asked: Asked
    steps: tuple[Step, ...]
    generated: tuple[str, ...]
    missing_corpora: tuple[str, ...]
    hours: float

    @classmethod
    def of(cls, study: Study, asked: Asked) -> "StudySteps":
        """Return the steps of a study as it was asked for."""
        making = _Making(study=study, asked=asked)
        begun = (*making.published(), *making.materials(), *making.variants(), *making.texts())
        steps = (*begun, *making.models(), *making.runs())
        not_given = tuple(each for each in making.languages() if each not in asked.corpora)
        hours = sum(each.models.hours for each in making.trained())
        return cls(
            asked=asked,
            steps=(*steps, *making.tables(steps), *making.figures(steps)),
            generated=() if making.is_paper else not_given,
            missing_corpora=tuple(sorted(not_given)) if making.is_paper else (),
            hours=study.scales[asked.scale].n_seeds * hours if making.is_paper else 0.0,
        )


@frozen
class _OneModel:
    """One of the models of a kind: of one language, or of none."""

    models: Models
    language: str

    @property
    def name(self) -> str:
        return self.models.name.replace(LANGUAGE, self.language)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its text."""
        text = self.models.text
        texts = (text,) if isinstance(text, str) else text
        return tuple(each.replace(LANGUAGE, self.language) for each in texts)

    @property
    def path(self) -> str:
        return f"models/{self.name}{'.arpa.gz' if self.models.train == 'ngram' else ''}"

    @property
    def references(self) -> tuple[str, ...]:
        if not self.models.train:
            return tuple(each.replace(LANGUAGE, self.language) for each in self.models.references)
        seeds = "" if self.models.train == "ngram" else "/seed-*"
        return (f"{_SCHEMES[self.models.train]}://{self.path}{seeds}",)


@frozen
class _Making:
    """What makes the steps of each kind."""

    study: Study
    asked: Asked

    @property
    def is_paper(self) -> bool:
        """Whether it is the scale of the paper, at which no text is generated."""
        return self.asked.scale == "paper"

    def published(self) -> Iterator[Step]:
        """Yield the steps that bring what others have published into a store."""
        for each in self.study.published:
            folder = f"published/{each.fetch}"
            fetching = self._fetch(each, folder, "--force", optional=True)
            yield fetching
            files = [f"{folder}/{pattern}" for pattern in each.files]
            options = shlex.split(each.options)
            yield Step(
                name=f"import-{each.fetch}",
                words=("import-results", *files, *options, "--store", PUBLISHED_STORE),
                needs=(fetching.name,),
                makes=(PUBLISHED_STORE,),
                reads=_outside(options),
                optional=True,
            )

    def materials(self) -> Iterator[Step]:
        """Yield the steps that make suites of what others have published."""
        for each in self.study.materials:
            if at_scale(each, self.asked.scale):
                yield self._fetch(each, f"{MATERIALS}/{each.fetch}", "--suites", "--force")

    def variants(self) -> Iterator[Step]:
        """Yield the steps that write suites otherwise."""
        for each in self.study.variants:
            if at_scale(each, self.asked.scale):
                for language in self._languages(each, each.name):
                    yield self._variant(each, language)

    def _variant(self, variants: Variants, language: str) -> Step:
        folder = f"{VARIANTS}/{variants.name.replace(LANGUAGE, language)}"
        suites = [self._suite(each.replace(LANGUAGE, language)) for each in variants.suites]
        options = words_at(variants.options, self.asked.scale)
        return Step(
            name=_bringing(folder),
            words=("suites", "export", *suites, *options, "-o", folder),
            needs=_brought(suites),
            makes=(folder,),
            reads=_outside(suites),
        )

    def _languages(self, part: Variants | Models | Runs, text: str) -> tuple[str, ...]:
        """Return the languages that there are of a part, if its text says so; else "" alone."""
        return self.study.languages_of(part) if LANGUAGE in text else ("",)

    def _fetch(
        self, source: Published | Materials, folder: str, *options: str, optional: bool = False
    ) -> Step:
        """Return the step that fetches files of a source into a folder."""
        only = [f"--only={pattern}" for pattern in source.only]
        return Step(
            name=_bringing(folder),
            words=("fetch", source.fetch, *only, *options, "-o", folder),
            machine=self.asked.fetching,
            makes=(folder,),
            optional=optional,
        )

    def trained(self) -> list[_OneModel]:
        """Return the models that are trained at this scale."""
        return [each for each in self._all_models() if each.models.train]

    def languages(self) -> tuple[str, ...]:
        """Return the languages whose texts models are trained on."""
        every = (language for model in self.trained() for language in model.languages)
        return tuple(dict.fromkeys(every))

    def _all_models(self) -> Iterator[_OneModel]:
        for models in self.study.models:
            if at_scale(models, self.asked.scale):
                for language in self._languages(models, models.name):
                    yield _OneModel(models=models, language=language)

    def _is_generated(self, language: str) -> bool:
        return not self.is_paper and language not in self.asked.corpora

    def _text(self, languages: tuple[str, ...]) -> str:
        """Return the path of the text of a language, or of several."""
        if len(languages) > 1:
            return f"text/{'+'.join(languages)}.txt"
        (language,) = languages
        if self._is_generated(language):
            return f"text/{language}.txt"
        given = self.asked.corpora.get(language)
        # At the scale of the paper what is missing is somebody's to bring.
        return str(given.absolute()) if given else f"corpora/{language}.txt"

    def texts(self) -> Iterator[Step]:
        """Yield the steps that make the texts that models are trained on."""
        drawn = ("--text", str(self.study.scales[self.asked.scale].n_sentences), "--seed", "1")
        for language in filter(self._is_generated, self.languages()):
            path = self._text((language,))
            yield Step(
                name=f"text-{language}",
                words=("generate", f"texts:{language}", *drawn, "-o", path),
                makes=(path,),
            )
        every = dict.fromkeys(model.languages for model in self.trained())
        for several in (each for each in every if len(each) > 1):
            path = self._text(several)
            parts = [self._text((each,)) for each in several]
            yield Step(
                name=f"text-{'+'.join(several)}",
                words=(JOIN, *parts),
                needs=tuple(f"text-{each}" for each in several if self._is_generated(each)),
                makes=(path,),
                reads=_outside(parts),
                output=path,
            )

    def models(self) -> Iterator[Step]:
        """Yield the steps that train models."""
        seeds = range(1, self.study.scales[self.asked.scale].n_seeds + 1)
        for model in self.trained():
            kind = str(model.models.train)
            several = [f"--seed={seed}" for seed in seeds] if kind != "ngram" else []
            options = words_at(model.models.options, self.asked.scale)
            text, own = self._text(model.languages), model.languages
            is_made = len(own) > 1 or self._is_generated(own[0])
            yield Step(
                name=f"train-{model.name}",
                words=("train", kind, text, "-o", model.path, *several, *options),
                machine=self.asked.machine(is_scoring=False) if kind == "lstm" else (),
                needs=(f"text-{'+'.join(own)}",) if is_made else (),
                makes=(model.path,),
                reads=_outside([text, *options]),
            )

    def runs(self) -> Iterator[Step]:
        """Yield the steps that run models on suites: at once, or as a plan where that is long."""
        for number, runs in enumerate(self.study.runs, start=1):
            if not at_scale(runs, self.asked.scale):
                continue
            for language in self._languages(runs, "".join([*runs.models, *runs.suites])):
                models = [
                    each
                    for each in self._all_models()
                    if each.models.name in runs.models and each.language in ("", language)
                ]
                if models:
                    name = f"{number}{language and f'-{language}'}"
                    yield from self._run(name, runs, models, language)

    def _run(self, name: str, runs: Runs, models: list[_OneModel], language: str) -> Iterator[Step]:
        suites = [self._suite(each.replace(LANGUAGE, language)) for each in runs.suites]
        references = [each for model in models for each in model.references]
        options = words_at(runs.options, self.asked.scale)
        trained = tuple(f"train-{each.name}" for each in models if each.models.train)
        dtype = ("--dtype", self.asked.dtype) if self.asked.dtype else ()
        own = (*references, *suites, *options, *dtype)
        machine, fetching = self.asked.machine(), self.asked.fetching
        brought = _brought(suites)
        if trained or not self.is_paper:
            yield Step(
                name=f"run-{name}",
                words=("run", *own, "--store", OWN_STORE),
                machine=(*machine, *fetching),
                needs=(*brought, *trained),
                makes=(OWN_STORE,),
                reads=_outside(own),
            )
            return
        plan, shards = f"plans/{name}.json", f"shards/{name}"
        yield Step(
            name=f"plan-{name}",
            words=("plan", "make", *own, "--minutes", "60", "-o", plan),
            machine=(*machine, *fetching),
            needs=brought,
            makes=(plan,),
            reads=_outside(own),
        )
        launch = shlex.split(self.asked.launch)
        yield Step(
            name=f"launch-{name}",
            words=("launch", launch[0], plan, "-o", shards, *launch[1:]),
            machine=_without(machine, launch),
            needs=(f"plan-{name}",),
            makes=(shards,),
        )
        yield Step(
            name=f"run-{name}",
            words=("runs", "merge", shards, "--store", OWN_STORE),
            needs=(f"launch-{name}",),
            makes=(OWN_STORE,),
        )

    def _suite(self, source: str) -> str:
        """Return what a suite is called in the study's folder: one beside the file by its path."""
        beside = self.study.file.parent / source
        return str(beside) if not source.startswith("suites:") and beside.exists() else source

    def _told(self, told: Told) -> list[str]:
        """Return the words of a statistic or a plot at this scale."""
        beside = str(self.study.file.parent)
        given = [f"{name}={path}" if name else str(path) for name, path in self._ratings.items()]
        found = []
        for word in words_at(told, self.asked.scale):
            several = given if RATINGS in word else [""]
            found += [word.replace(STUDY, beside).replace(RATINGS, each) for each in several]
        return found

    @property
    def _ratings(self) -> dict[str, Path]:
        return {name: path.absolute() for name, path in self.asked.ratings.items()}

    def _read(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the paths outside of the study's folder that words of a statistic name."""
        named = [*words]
        given = [*map(str, self._ratings.values())]
        return (*_outside(named), *(each for each in given if any(each in word for word in named)))

    def tables(self, steps: tuple[Step, ...]) -> Iterator[Step]:
        """Yield the steps that compute tables."""
        ran, imported = _named(steps, "run-"), _named(steps, "import-")
        for table in self.study.tables:
            if not at_scale(table, self.asked.scale):
                continue
            kinds: tuple[tuple[Kind, list[str], str, tuple[str, ...]], ...] = (
                ("published", self._told(table.published), PUBLISHED_STORE, imported),
                ("own", self._told(table.own), OWN_STORE, ran),
            )
            for kind, words, store, needs in kinds:
                if words and needs:
                    path = table.file(kind)
                    yield Step(
                        name=f"table-{table.name}-{kind}",
                        words=(*words, "--store", store, "--format", "csv", "--raw"),
                        needs=(*needs, *_brought(words)),
                        makes=(path,),
                        reads=self._read(words),
                        output=path,
                        optional=kind == "published",
                    )

    def figures(self, steps: tuple[Step, ...]) -> Iterator[Step]:
        """Yield the steps that draw figures, and the one that reports on all that was run."""
        ran, imported = _named(steps, "run-"), _named(steps, "import-")
        for figure in self.study.figures:
            is_own = figure.of == "own"
            if not at_scale(figure, self.asked.scale) or not (ran if is_own else imported):
                continue
            path, store = figure.file, OWN_STORE if is_own else PUBLISHED_STORE
            told = self._told(figure.options)
            words = (
                (*told, "--store", store, "--plot", path)
                if told[:1] == ["stats"]
                else ("report", *told, "--store", store, "-o", path)
            )
            yield Step(
                name=f"figure-{figure.name}",
                words=words,
                needs=(*(ran if is_own else imported), *_brought(told)),
                makes=(path,),
                reads=self._read(told),
                optional=not is_own,
            )
        if ran:
            title = self.study.title
            yield Step(
                name="report",
                words=("report", "--store", OWN_STORE, "-o", REPORT, "--title", title),
                needs=ran,
                makes=(REPORT,),
            )


def _named(steps: tuple[Step, ...], beginning: str) -> tuple[str, ...]:
    return tuple(each.name for each in steps if each.name.startswith(beginning))
