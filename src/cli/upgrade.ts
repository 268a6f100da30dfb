import { Command, Option } from "commander";
import type { Actions } from "./actions.ts";
import { withServerFlags } from "./connect-flags.ts";
import { dataDirOption, outputOption, withExamples } from "./help.ts";
import type { UpgradeFlags } from "./upgrade/run.ts";

/** The flags of `serve` that locate the store. */
const STORE_FLAGS: readonly string[] = ["store", "etcd-servers", "etcd-prefix", "etcd-cacert", "etcd-cert", "etcd-key"];

/** Returns the command `upgrade` with `check`, which says whether this version may take over from another one. */
export function upgradeCommand(actions: Actions): Command {
  const check = new Command("check")
    .description(
      "Check formats, options, stored and deprecated versions before an upgrade. Nothing is changed. The exit code is 1 if a check fails.",
    )
    .addOption(dataDirOption(actions.flags, "The directory."))
    .option("--config <FILE>", "The file with options that the server will use.")
    .option("--online", "Also ask the npm registry for the newest release.")
    .addOption(outputOption());
  const stores = actions.flags.filter(({ key }) => STORE_FLAGS.includes(key));
  const options = stores.map(({ key, value, about, env }) => ({
    key,
    option: new Option(`--${key} <${value}>`, `${about} [${env}]`),
  }));
  for (const { option } of options) check.addOption(option);
  withExamples(
    check,
    "upgrade check",
    "upgrade check --data-dir /var/lib/keelson --config /etc/keelson.yaml",
    "upgrade check --store etcd --etcd-servers https://10.0.0.1:2379 --etcd-cacert ca.pem",
  );
  withServerFlags(check).action(async (flags: UpgradeFlags & Readonly<Record<string, unknown>>) => {
    const { runUpgradeCheck } = await import("./upgrade/run.ts");
    const given = options.flatMap(({ key, option }) => {
      const value = flags[option.attributeName()];
      return typeof value === "string" ? [[key, value] as const] : [];
    });
    await runUpgradeCheck(actions, { ...flags, store: Object.fromEntries(given) });
  });
  const command = new Command("upgrade").description("Prepare an upgrade.").addCommand(check);
  return withExamples(command, "upgrade check");
}
