import { CONSOLE_LINKS_PATH, CONSOLE_LOGIN_PATH, type ConsoleLink } from "../meta/console-session.ts";
import type { Actions } from "./actions.ts";
import { readShort } from "./ask-server.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ServerFlags } from "./connect-flags.ts";
import { openBrowser } from "./open-browser.ts";
import { readableInfo } from "./readable-info.ts";

/** The flags of `console`. */
export interface ConsoleRequest extends ServerFlags {
  readonly dataDir?: string;
  readonly print?: true;
}

/** Asks a server for a link and opens it, or prints it. */
export async function runConsole(actions: Actions, request: ConsoleRequest): Promise<void> {
  const { terminal } = actions;
  const kubeconfig = request.kubeconfig ?? (await ownKubeconfig(actions, request));
  using connection = await connect(actions, { ...request, kubeconfig });
  const response = await connection.transport({
    method: "POST",
    path: CONSOLE_LINKS_PATH,
    headers: { "user-agent": `keelson/${actions.version}`, accept: "application/json" },
  });
  const text = await readShort(response.body);
  if (response.status !== 201) throw refusal(connection.server, response.status, text);
  const url = linkOf(text, connection.server);
  if (request.print) {
    actions.print(url);
    return;
  }
  if (await openBrowser(url, terminal.env, actions.clock)) {
    terminal.tell(`The console of ${connection.server} opens in the browser.\n`);
  } else {
    terminal.tell("No browser could be opened here. Open this link within a minute; it can be used once.\n");
    actions.print(url);
  }
  if (url.startsWith("https:")) {
    terminal.tell(
      "If the browser warns of the certificate: import the server's CA, pki/ca.crt of its data directory (docs/guides/console.md).\n",
    );
  }
}

/**
 * Returns the link in a response, as a URL without characters that control a terminal. A program that opens URLs opens files and other
 * programs, too: so the URL must be one of the web, and that of a login.
 */
export function linkOf(text: string, server: string): string {
  const { url } = (asJson(text) ?? {}) as Partial<ConsoleLink>;
  const link = typeof url === "string" && url.length <= MAX_LINK_LENGTH ? URL.parse(url) : null;
  if (link && WEB.includes(link.protocol) && link.pathname === CONSOLE_LOGIN_PATH) return link.href;
  throw new CliError(`expected a link to the console from ${server}, got another response: is it a server of keelson?`);
}

const MAX_LINK_LENGTH = 2000;
const WEB = ["http:", "https:"];

/** Returns the kubeconfig of the server that runs on this machine, unless another one is named. @throws Error for a named directory without one */
async function ownKubeconfig(actions: Actions, { context, dataDir }: ConsoleRequest): Promise<string | undefined> {
  const isNamed = context !== undefined || (actions.terminal.env["KUBECONFIG"] ?? "") !== "";
  if (dataDir === undefined && isNamed) return undefined;
  if (dataDir === undefined) {
    const info = await readableInfo(actions);
    return info?.running && info.kubeconfig;
  }
  const { path, running, kubeconfig } = await actions.info(dataDir);
  if (running !== undefined && kubeconfig !== undefined) return kubeconfig;
  throw new CliError(`expected a running server for ${path}; start it, or name a kubeconfig with --kubeconfig`);
}

function refusal(server: string, status: number, text: string): CliError {
  if (status === 404) {
    return new CliError(
      `expected a console at ${server}, found none: it is switched off (--console=false), or the server is older`,
    );
  }
  return new CliError(`the server responded with ${status}: ${messageOf(text).slice(0, 500)}`);
}

function messageOf(text: string): string {
  const { message } = (asJson(text) ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : text.trim();
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
