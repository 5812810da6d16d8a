#!/usr/bin/env bash
# A scenario or a study on a Slurm cluster, a part of its runs for each task of an array:
#
#     job=$(sbatch --parsable --array=1-8 examples/slurm.sh scenarios/radio.toml results)
#     sbatch --dependency=afterok:$job --wrap 'sheave lab report results/part-*'
#
# The report of all parts is written to results/part-1. A task that was killed goes on where it
# stopped when it is submitted again, since finished runs are kept.
#SBATCH --job-name=sheave
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --time=02:00:00
set -euo pipefail

what=${1:?usage: sbatch --array=1-N examples/slurm.sh STUDY|FILE [FOLDER]}
results=${2:-results}

exec sheave lab run "$what" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --out "$results/part-$SLURM_ARRAY_TASK_ID"
