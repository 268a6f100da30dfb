/**
 * What commands are given: everything that they start, read and print with.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";

/** A flag, as help shows it. */
export interface FlagSpec {
  readonly key: string;
  /** What the value looks like; empty for switches. */
  readonly value: string;
  readonly default: string;
  readonly about: string;
}

/** Starts a server with the flags that were given (by key, as text) and an optional file; resolves when it has ended. */
export type Serve = (flags: Readonly<Record<string, string>>, file: string | undefined) => Promise<void>;

/** What is known of a data directory. */
export interface DirectoryInfo {
  readonly path: string;
  readonly version: string;
  readonly dialect: string | undefined;
  readonly format: number | undefined;
  readonly kubeconfig: string | undefined;
  readonly running:
    | { readonly pid: number; readonly version: string; readonly addresses: readonly string[] }
    | undefined;
  /** Bytes of the store's files together. */
  readonly storeBytes: number;
}

/** Looks at a data directory; the default one without a name. */
export type InfoSource = (dataDir: string | undefined) => Promise<DirectoryInfo>;

/** The text of the kubeconfig in a data directory; rejects when there is none. */
export type KubeconfigSource = (dataDir: string | undefined) => Promise<string>;

/** Where the program runs. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input. */
  readonly input: NodeJS.ReadableStream & AsyncIterable<Buffer | string>;
  /** Whether standard output and standard error are terminals. */
  readonly isTerminal: boolean;
  /** Prints a text, as it is, on standard error. */
  readonly tell: (text: string) => void;
}

/** What the commands work with. */
export interface Actions {
  readonly version: string;
  /** The flags of `serve`, one for each option of a server. */
  readonly flags: readonly FlagSpec[];
  readonly serve: Serve;
  readonly info: InfoSource;
  readonly kubeconfig: KubeconfigSource;
  /** Where commands print. */
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
  readonly clock: Clock;
}
