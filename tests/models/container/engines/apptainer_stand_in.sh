#!/bin/sh
# Takes the command lines of Apptainer and runs commands in no container at all: what an image has
# on its PATH is the folder bin/ of a folder, or of the folder that a file names in its first line.
# Beside it may lie `version` (what it says), and it writes `called`: its arguments, one a line.
here=${0%/*}
printf '%s\n' "$@" > "$here/called"

pull() {
    while [ $# -gt 2 ]; do shift; done
    case $2 in
        docker://not-there) echo "INFO:    a remark" >&2; echo "FATAL:   manifest unknown" >&2; exit 255 ;;
        *) echo "$here/image" > "$1"; sleep 0.7; echo "$2 $$" >> "$1" ;;
    esac
}

run() {
    while [ $# -gt 0 ]; do
        case $1 in
            --no-mount | --network | --drop-caps | --pwd | --mount) shift 2 ;;
            -*) shift ;;
            *) break ;;
        esac
    done
    image=$1
    shift
    [ -d "$image" ] || read -r image < "$image"
    for variable in $(env | sed -n 's/^\([A-Z]*ENV_[A-Z_]*\)=.*/\1/p'); do
        eval "value=\$$variable"
        export "${variable#*ENV_}=$value"
    done
    PATH=$image/bin:$PATH
    # Not exec: a real one stays, too, and tidies up behind its container.
    exec 3<&0
    "$@" <&3 3<&- &
    wait $!
    status=$?
    touch "$here/tidied"
    exit $status
}

[ "$1" = --silent ] && shift
case $1 in
    --version) cat "$here/version" ;;
    pull) shift; pull "$@" ;;
    exec) shift; run "$@" ;;
    *) exit 2 ;;
esac
