"""Who starts the workers of a plan: one file a launcher; what each shard has lies in the folder."""
