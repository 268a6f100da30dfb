/**
 * `keelson certs`: the certificates of a data directory, shown and made anew, whether a server runs on it or not.
 *
 * @module
 */
import { Argument, Command, Option } from "commander";
import type { Actions, CertificateInfo, Renewable } from "./actions.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";

const NAMES: readonly Renewable[] = ["server", "admin", "ca", "token"];
const DAY = 86_400_000;

interface ShowFlags {
  readonly dataDir?: string;
  readonly output: string;
}

interface RenewFlags {
  readonly dataDir?: string;
  readonly san: readonly string[];
}

/** The command `certs`. */
export function certsCommand(actions: Actions): Command {
  const certs = new Command("certs")
    .summary("Show certificates, and make them anew.")
    .description(
      "Show the certificates of a data directory: for whom they are, when they end, and from when on a server makes them anew by itself.",
    )
    .addOption(dataDirOption(actions.flags, "The data directory of the server."))
    .addOption(outputOption())
    .action(({ dataDir, output }: ShowFlags) => show(actions, dataDir, output));
  certs.addCommand(renewCommand(actions, certs));
  return withExamples(certs, "certs", "certs -o json", "certs renew server --san api.example.com");
}

function renewCommand(actions: Actions, parent: Command): Command {
  const renew = new Command("renew")
    .description(
      "Make certificates anew now: all that the authority signs, or those that are named. A server that runs takes them within half a minute. With token it is the key that signs tokens of service accounts: tokens of the key before it stay good.",
    )
    .addArgument(new Argument("[name...]", "Which.").choices(NAMES))
    .addOption(
      new Option("--san <NAME>", "One more name or address of the serving certificate; may be given several times.")
        .argParser((name: string, before: readonly string[]) => [...before, name])
        .default([], "those that it has"),
    )
    .action(async (names: Renewable[], { san }: RenewFlags) => {
      const { dataDir, output } = parent.opts<ShowFlags>();
      const wanted = names.length > 0 ? names : (["server", "admin"] as const);
      await actions.certificates.renew(
        dataDir,
        san.length > 0 ? [...new Set([...wanted, "server" as const])] : wanted,
        san,
      );
      await show(actions, dataDir, output);
    });
  return withExamples(
    renew,
    "certs renew",
    "certs renew admin",
    "certs renew token",
    "certs renew --san api.example.com",
  );
}

async function show(
  { certificates, clock, print }: Actions,
  dataDir: string | undefined,
  output: string,
): Promise<void> {
  const found = await certificates.show(dataDir);
  print(output === "json" ? JSON.stringify(found, undefined, 2) : asText(found, clock.now()));
}

function asText(found: readonly CertificateInfo[], now: number): string {
  const rows = found.map((one) => [
    one.name,
    one.file,
    `${day(one.ends)} ${left(one, now)}`,
    day(one.renewedFrom),
    one.subject,
  ]);
  const table = [["NAME", "FILE", "ENDS", "RENEWED FROM", "SUBJECT"], ...rows];
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("   ")
      .trimEnd(),
  );
  const hosts = found.flatMap((one) =>
    one.hosts.length > 0 ? [`${one.name} is good for ${one.hosts.join(", ")}`] : [],
  );
  return [...lines, ...hosts].join("\n");
}

const day = (time: string): string => time.slice(0, 10);

function left({ ends }: CertificateInfo, now: number): string {
  const days = Math.floor((Date.parse(ends) - now) / DAY);
  return days < 0 ? "(has ended)" : `(in ${days} d)`;
}
