#!/usr/bin/env bash
# launcher.sh COMPILER ARGUMENT...: a launcher of compilers for CMake (CMAKE_C_COMPILER_LAUNCHER). An object that the build
# in the folder AIC_BUILT has made by the same command, but for the folder, is taken from there: tests of what else can be
# built compile nothing a second time that is compiled the same way. Everything else is compiled.
set -eu

command=$*
object=${command##* -o }
object=${object%% *}
command=${command//"$PWD"/"$AIC_BUILT"}
# CMake adds what Ninja wants to know of headers to the command.
command="${command%% -MD *} -o ${command##* -o }"
if [ "$AIC_BUILT/$object" -nt "${!#}" ] && grep -Fq "\"command\": \"$command\"," "$AIC_BUILT/compile_commands.json"; then
    exec cp "$AIC_BUILT/$object" "$object"
fi
exec "$@"
