/**
 * The libraries that expressions of Kubernetes have, by the version that brought them (CEL-10..25).
 *
 * @module
 */
import { type Functions, functionsOf } from "../environment.ts";
import { ADDRESSES } from "./addresses.ts";
import { AMOUNTS } from "./amounts.ts";
import { AUTHORIZATION } from "./authorization.ts";
import { FORMS } from "./formats.ts";
import { LISTS } from "./lists.ts";
import { STANDARD } from "./standard.ts";
import { TEXTS } from "./texts.ts";
import { URLS } from "./urls.ts";
import { once } from "../../util/once.ts";

/** All functions; made when the first expression is compiled. */
export const allFunctions: () => Functions = once(() =>
  functionsOf([STANDARD, TEXTS, LISTS, FORMS, URLS, ADDRESSES, AMOUNTS, AUTHORIZATION]),
);
