/**
 * What stands for modules of Node that a cluster in a page has no use for: sockets, TLS, compression, threads. A name that is not
 * here is undefined in a page, so that a use of it is an error.
 *
 * @module
 */

/** Whether a text is an IP address: 4, 6, or 0 for neither. */
export const isIP = (text: string): 0 | 4 | 6 =>
  /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) ? 4 : text.includes(":") && /^[\da-f:.]+$/i.test(text) ? 6 : 0;

/** A name of hosts in ASCII; empty for one that is not valid. */
export const domainToASCII = (name: string): string =>
  URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : "";

export const availableParallelism = (): number => 1;
export const homedir = (): string => "/home";
export const hostname = (): string => "page";

/** A text without the escapes of terminals, of which the programs of a page print none. */
export const stripVTControlCharacters = (text: string): string => text;

/** A function with a callback as one that returns a promise. */
export const promisify =
  <A extends unknown[], R>(work: (...args: [...A, (error: Error | null, result: R) => void]) => void) =>
  (...args: A): Promise<R> =>
    new Promise((resolve, reject) => {
      work(...args, (error, result) => (error ? reject(error) : resolve(result)));
    });

const { performance: clockOfPage } = globalThis;

/** The clock of the page; how busy its loop is, it does not say. */
export const performance = {
  timeOrigin: clockOfPage.timeOrigin,
  now: (): number => clockOfPage.now(),
  eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
};

/** Sees nothing: a page does not measure its garbage collection. */
export class PerformanceObserver {
  observe(): void {}
  disconnect(): void {}
}

/** A module that is imported as a whole has nothing. */
export default {};
