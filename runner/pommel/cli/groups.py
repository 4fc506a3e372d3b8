"""Groups of several commands that share a file: their help needs none of what the commands do."""

from pommel.cli.lazy_group import LazyGroup

STATISTICS = {
    "accuracy": (
        "stats:analysis.accuracy.AccuracyAsked",
        "Shares with intervals and tests, margins, ties.",
    ),
    "stability": (
        "stats:analysis.stability.StabilityAsked",
        "Suites with and without intervening material.",
    ),
    "complexity": (
        "stats:analysis.complexity.ComplexityAsked",
        "Accuracy against how much material intervenes.",
    ),
    "scaling": (
        "stats:analysis.scaling.ScalingAsked",
        "Accuracy against the number of parameters: slopes.",
    ),
    "training": ("stats:analysis.training.TrainingAsked", "Accuracy against the step of training."),
    "auc": ("stats:auc", "Grammatical against ungrammatical sets: AUC, preferences."),
    "correlate": (
        "stats:analysis.correlation.CorrelationAsked",
        "Accuracy against a property of languages or models.",
    ),
    "items": ("stats:items", "One row an item, as lme4 and pandas read it."),
    "regions": ("stats:regions", "One row a region of a sentence, as lme4 and pandas read it."),
    "mixed": ("stats:analysis.mixed.MixedAsked", "Mixed-effects logistic regression over items."),
}


stats = LazyGroup(
    "stats",
    help="""Statistics of the runs in the store, chosen by --model, --suite, --circuit and so on.

    \b
      pommel stats accuracy --by circuit --model 'gpt2*'
      pommel stats scaling --source multilingual
    """,
)
stats.sections = {"Commands": STATISTICS}


_RUNS = {
    "list": ("runs:list_runs", "List runs."),
    "show": ("runs:show_run", "Show a run: predictions, scores, where it comes from."),
    "export": ("runs:export_tables", "Write the tables of runs to a folder."),
    "evaluate": ("runs:evaluate_again", "Check predictions again, with no model."),
    "delete": ("runs:delete_runs", "Delete runs."),
    "gc": ("runs:collect_garbage", "Delete surprisals that no run needs; give room back."),
    "merge": ("runs:merge", "Take in what other stores have."),
    "recover": ("runs:recover", "Save what can be read of a damaged store."),
}


runs = LazyGroup(
    "runs",
    help="""The runs in the store: every run on this machine, and results that were imported.

    \b
      pommel runs list --model 'gpt2*'
      pommel runs export 3f2a91c07d11 -o results
    """,
)
runs.sections = {"Commands": _RUNS}


_LEADERBOARD = {
    "init": ("leaderboard:init", "Make a board: pin suites, weigh circuits."),
    "add": ("leaderboard:add", "Compute a submission from its tokens, and rank it."),
    "check": ("leaderboard:check", "Say whether a submission could be added, and why not."),
    "show": ("leaderboard:show", "Show the ranking."),
    "withdraw": ("leaderboard:withdraw", "Take a submission off the ranking."),
    "verify": ("leaderboard:verify", "Check a board, or have a model score a sample again."),
    "plan": ("leaderboard:plan", "Plan to have many models score a sample again, by workers."),
    "export": ("leaderboard:export", "Write a board as a static site."),
}


leaderboard = LazyGroup(
    "leaderboard",
    help="""Keep a leaderboard: a folder with pinned suites and what models were submitted.

    \b
      pommel leaderboard init board --suites suites:en --name 'English syntax'
      pommel leaderboard add board en-gpt2.pommel.zip
      pommel leaderboard show board
    """,
)
leaderboard.sections = {"Commands": _LEADERBOARD}


_SUITES = {
    "check": (
        "suites_check",
        "Look for what is doubtful in SUITEs (files, folders, - for standard input).",
    ),
    "controls": ("suites_controls", "Show how far scorers that see no syntax come on SUITEs."),
    "export": (
        "suites_export",
        "Write SUITEs as SyntaxGym JSON, long CSV, or plain sentences (one a line).",
    ),
    "list": (
        "suites:list_suites",
        "List the shipped suites, or those of a COLLECTION (suites:en/agreement) or folder.",
    ),
    "new": (
        "suites_new",
        "Begin a suite: write FILE.json with its conditions, regions and predictions.",
    ),
    "preview": (
        "suites_preview",
        "Show the sentences of SUITEs with their regions, and what the predictions say, in words.",
    ),
    "show": (
        "suites_show",
        "Show the data sheet of a SUITE, for its readers and for an appendix.",
    ),
}


suites = LazyGroup("suites", help="List, show, preview, export and begin suites.")
suites.sections = {"Commands": _SUITES}


_MODELS = {
    "list": (
        "models:list_models",
        "List the built-in models, and the kinds of references that `pommel run` takes.",
    ),
    "show": (
        "models_show",
        "Load MODEL and say which model it is, down to the fingerprint of its weights.",
    ),
}


models = LazyGroup("models", help="List and show models.")
models.sections = {"Commands": _MODELS}


_PLAN = {
    "make": ("plan:make", "Cut models x SUITEs into shards; the command where none is named."),
    "status": ("plan:status", "Show how far the shards are whose results are in DIR."),
}


plan = LazyGroup(
    "plan",
    help="""Cut models x suites into shards, for many machines, and see how far they are.

    \b
      pommel plan 'huggingface://EleutherAI/pythia-70m@step{1000..3000..1000}' suites:en --shards 3
      pommel plan 'lstm://models/seed-*' my_suites/ --minutes 30 -o plan.json
      pommel plan status results
    """,
)
plan.sections = {"Commands": _PLAN}
plan.usual = "make"


_LAUNCHERS = {
    "local": (
        "launch:sharding.launching.local.LocalWorkers",
        "Processes on this machine, several at once.",
    ),
    "slurm": ("launch:sharding.launching.slurm.SlurmArray", "An array of Slurm jobs."),
    "ray": ("launch:sharding.launching.ray.RayTasks", "Tasks of a Ray cluster."),
}


launch = LazyGroup(
    "launch",
    help="""Run all shards of a plan; each is a `pommel run` of its own, which keeps what it has.

    \b
      pommel plan 'huggingface://EleutherAI/pythia-70m@step*' suites:en --shards 64 -o plan.json
      pommel launch slurm plan.json -o shards --partition gpu --gres gpu:1 --requeue
      pommel runs merge shards
    """,
)
launch.sections = {"Commands": _LAUNCHERS}


_STUDY = {
    "run": ("study:run", "Do what a study's FILE says."),
    "copy": ("study:copy", "Copy a study that ships with pommel, to make one's own."),
}


study = LazyGroup(
    "study",
    help="""Studies: texts, models, suites and tables of a paper, as a file.

    \b
      pommel study copy hu2020 mine
      pommel study run mine/hu2020.toml --dry-run
    """,
)
study.sections = {"Commands": _STUDY}
