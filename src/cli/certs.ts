import { Argument, Command, Option } from "commander";
import type { Actions, CertificateInfo, Renewable } from "./actions.ts";
import { collect, dataDirOption, outputOption, withExamples } from "./help.ts";
import { printReport } from "./print-report.ts";
import { alignedLines } from "./table.ts";

const NAMES: readonly Renewable[] = ["server", "admin", "ca", "token"];
const DAY_MS = 86_400_000;

interface ShowFlags {
  readonly dataDir?: string;
  readonly output: string;
}

interface RenewFlags {
  readonly dataDir?: string;
  readonly san: readonly string[];
}

/** Returns the command `certs`, which shows and renews the certificates of a data directory. */
export function certsCommand(actions: Actions): Command {
  const certs = new Command("certs")
    .summary("Show certificates, and renew them.")
    .description(
      "Show the certificates of a data directory: their subjects, when they expire, and when a server renews them.",
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
      "Renew certificates now: those signed by the CA, or the named ones. A running server uses them within half a minute. With token it is the key that signs tokens of service accounts; tokens of the previous key stay valid.",
    )
    .addArgument(new Argument("[name...]", "The names of the certificates.").choices(NAMES))
    .addOption(
      new Option("--san <NAME>", "A further name or address for the serving certificate; may be repeated.")
        .argParser(collect)
        .default([], "none"),
    )
    .action(async (names: Renewable[], { san }: RenewFlags) => {
      const { dataDir, output } = parent.opts<ShowFlags>();
      const chosen = names.length > 0 ? names : (["server", "admin"] as const);
      await actions.certificates.renew(
        dataDir,
        san.length > 0 ? [...new Set([...chosen, "server" as const])] : chosen,
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

async function show(actions: Actions, dataDir: string | undefined, output: string): Promise<void> {
  const found = await actions.certificates.show(dataDir);
  printReport(actions, output, found, () => linesOf(found, actions.clock.now()));
}

function linesOf(found: readonly CertificateInfo[], now: number): string[] {
  const rows = found.map((one) => [
    one.name,
    one.file,
    `${day(one.ends)} ${left(one, now)}`,
    day(one.renewedFrom),
    one.subject,
  ]);
  const table = [["NAME", "FILE", "ENDS", "RENEWED FROM", "SUBJECT"], ...rows];

  const hosts = found.flatMap((one) =>
    one.hosts.length > 0 ? [`${one.name} is valid for ${one.hosts.join(", ")}`] : [],
  );
  return [...alignedLines(table, "   "), ...hosts];
}

const day = (time: string): string => time.slice(0, 10);

function left({ ends }: CertificateInfo, now: number): string {
  const days = Math.floor((Date.parse(ends) - now) / DAY_MS);
  return days < 0 ? "(expired)" : `(in ${days} d)`;
}
