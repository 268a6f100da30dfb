/**
 * `keelson serve`: starts a server and runs it until it is told to stop.
 *
 * @module
 */
import { Command, Option } from "commander";
import type { Actions } from "./program.ts";

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

/** The command `serve`. */
export function serveCommand({ flags, serve }: Actions): Command {
  const command = new Command("serve")
    .description("start the server; it makes its certificates and a kubeconfig on the first start")
    .option("--config <file>", "YAML file with the same keys as these flags");
  for (const { key, value, default: preset, about } of flags) {
    const option = new Option(
      value ? `--${key} <${value}>` : `--${key} [true|false]`,
      preset && value ? `${about} (default: ${preset})` : about,
    );
    command.addOption(option);
  }
  return command.action(async (given: Record<string, unknown>) => {
    const said: Record<string, string> = {};
    for (const { key } of flags) {
      const value = given[camel(key)];
      if (value !== undefined) said[key] = String(value);
    }
    await serve(said, given["config"] as string | undefined);
  });
}

const camel = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
