/** Resolves with the first SIGTERM or SIGINT; a second signal ends the process at once. Keeps the process alive until then. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const hold = setInterval(() => {}, 1 << 30);
    let isAsked = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isAsked) process.exit(1);
      isAsked = true;
      clearInterval(hold);
      resolve(signal);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
}
