/**
 * The libraries of expressions of Kubernetes (CEL-10..25).
 *
 * @module
 */
import { type Functions, functionsOf } from "../environment.ts";
import { ADDRESS_FUNCTIONS } from "./addresses.ts";
import { QUANTITY_FUNCTIONS } from "./quantities.ts";
import { AUTHORIZATION_FUNCTIONS } from "./authorization.ts";
import { FORMAT_FUNCTIONS } from "./formats.ts";
import { LIST_FUNCTIONS } from "./lists.ts";
import { STANDARD_FUNCTIONS } from "./standard.ts";
import { STRING_FUNCTIONS } from "./strings.ts";
import { URL_FUNCTIONS } from "./urls.ts";
import { once } from "../../util/once.ts";

/** Returns all functions; they are made when the first expression is compiled. */
export const allFunctions: () => Functions = once(() =>
  functionsOf([
    STANDARD_FUNCTIONS,
    STRING_FUNCTIONS,
    LIST_FUNCTIONS,
    FORMAT_FUNCTIONS,
    URL_FUNCTIONS,
    ADDRESS_FUNCTIONS,
    QUANTITY_FUNCTIONS,
    AUTHORIZATION_FUNCTIONS,
  ]),
);
