import type { Step } from "./step.ts";

const HEADING = /^## (?<version>\S+)(?: \((?<date>[^)]*)\))?$/;

/** A section of the changelog. */
export interface Section {
  readonly version: string;
  /** The text in parentheses: `2030-01-31`, `not released yet`. */
  readonly date: string | undefined;
  /** The Markdown below the heading. */
  readonly notes: string;
}

/** Returns the sections of a changelog, newest first. */
export function sectionsOf(changelog: string): Section[] {
  const sections: { version: string; date: string | undefined; lines: string[] }[] = [];
  for (const line of changelog.split("\n")) {
    const { version, date } = HEADING.exec(line)?.groups ?? {};
    if (version !== undefined) sections.push({ version, date, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...section }) => ({ ...section, notes: `${lines.join("\n").trim()}\n` }));
}

/** Judges the changelog for a version. */
export function changelogStep(changelog: string, version: string): Step {
  const [newest] = sectionsOf(changelog);
  const step = { name: "changelog", next: "its newest section becomes notes.md" };
  if (newest?.version !== version) {
    const found = newest === undefined ? "no section" : `the newest section is of ${newest.version}`;
    return { ...step, verdict: "wrong", found, next: `start CHANGELOG.md with a section "## ${version} (DATE)"` };
  }
  if (newest.notes.trim() === "")
    return { ...step, verdict: "wrong", found: "its section is empty", next: `write what is new in ${version}` };
  if (!/^\d{4}-\d\d-\d\d$/.test(newest.date ?? "")) {
    const found = `the section is marked "${newest.date ?? ""}"`;
    return { ...step, verdict: "needed", found, next: `write the date of the release: "## ${version} (YYYY-MM-DD)"` };
  }
  return { ...step, verdict: "ready", found: `a section of ${newest.date}` };
}
