/**
 * The file of a finding: a {@link Finding} as YAML. A file may come from anyone, so it is validated strictly.
 *
 * @module
 */
import { fnv1aOfText } from "../util/fnv.ts";
import { messageOf } from "../util/error.ts";
import { printable } from "../util/terminal.ts";
import { decodeYaml } from "../value/yaml.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
import type { Value } from "../value/value.ts";
import type { Fault, Finding } from "./contract/finding.ts";
import { replayCommand } from "./contract/runs-named.ts";
import { findingOf } from "./finding-value.ts";
import { StrictError } from "./strict.ts";

/** The largest file in characters; a finding with a scenario of a thousand objects has less. */
const MAX_LENGTH = 4_000_000;

/** Returns the text of the file: YAML, with the sentence of its fault as a comment in front. */
export function encodeFinding(finding: Finding): string {
  const plain = JSON.parse(JSON.stringify(finding)) as Value;
  const again =
    replayCommand(finding, "FILE") ?? "replay() of keelson/testing, with the scenario and the controllers of the test";
  return `# ${printable(finding.fault.sentence)}\n# Play it again: ${again}\n${encodeYaml(plain)}`;
}

/**
 * Returns the finding of a text in YAML or JSON.
 *
 * @param file its name for errors
 * @throws StrictError for a text that is no finding, naming the file and the member
 */
export function decodeFinding(source: string, file = "the text"): Finding {
  try {
    if (source.length > MAX_LENGTH) {
      throw new StrictError(`expected at most ${MAX_LENGTH} characters, found ${source.length}`);
    }
    const { value, duplicates } = decodeYaml(source);
    if (duplicates.length > 0) throw new StrictError(`${duplicates[0]}: expected each member once, found it twice`);
    return findingOf(value);
  } catch (error) {
    throw new StrictError(`${file} is no finding: ${messageOf(error)}`, { cause: error });
  }
}

const MAX_NAME_LENGTH = 100;

/** `.spec.replicas` -> `spec-replicas`: lower-case letters and digits, joined by dashes. */
const slug = (part: string): string =>
  part
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((piece) => piece !== "")
    .join("-");

const hash = (key: string): string => fnv1aOfText(key).toString(16).padStart(8, "0");

/**
 * Returns a name for the file of each finding, such as `missing-configmap-a-config.yaml`. Where two would be equal, or one is too
 * long, a hash of its key follows; so a fault has the same name in each exploration that finds the same ones.
 */
export function findingFileNames(faults: readonly Fault[]): readonly string[] {
  const plain = faults.map(plainName);
  return faults.map(({ key }, i) => {
    const name = plain[i]!;
    const isUnique = plain.filter((other) => other === name).length === 1 && name.length <= MAX_NAME_LENGTH;
    return `${isUnique ? name : `${name.slice(0, MAX_NAME_LENGTH)}-${hash(key)}`}.yaml`;
  });
}

/** A generated name changes between runs, and is no part of the key. */
function plainName({ kind, key, object, path }: Fault): string {
  const name = object?.name !== undefined && key.includes(object.name) ? object.name : "";
  const parts = object ? [kind, object.kind, name, path ?? ""] : [kind, key];
  const slugs = parts.map(slug).filter((part) => part !== "");
  // The key of a rule begins with the kind, too.
  return (slugs[1]?.startsWith(`${kind}-`) ? slugs.slice(1) : slugs).join("-");
}
