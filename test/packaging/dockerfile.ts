/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, by stages; the first one is the part before `FROM`. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "");
  const stages: Instruction[][] = [[]];
  for (const line of lines.split("\n").filter(Boolean)) {
    const [, name = "", text = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`expected an instruction, found ${line}`);
    if (name === "FROM") stages.push([]);
    stages.at(-1)!.push({ name, text });
  }
  return stages;
}
