/**
 * Loaded in front of a program of Node that goes on beside a command (`node --import`): the program ends when the command
 * is gone, even when the command was killed and could end nothing.
 */
import { isMainThread } from "node:worker_threads";

const end = (): void => {
  process.kill(process.pid, "SIGTERM");
};

// The channel to the command is open as long as the command lives. It does not keep the program running.
process.once("disconnect", end);
process.channel?.unref();
// The command may be gone before this line. Worker threads, which load this too, have no channel.
if (isMainThread && !process.connected) end();
