// Collects the errors that the sources report: error classes with the messages that are thrown, notices and
// likely causes with their codes, and error messages of the core.
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import ts from 'typescript';

import { filesUnder, root } from './files.mjs';
import { programOf, textReader } from './source_texts.mjs';

const pathOf = (file) => relative(root, file).split(sep).join('/');

/**
 * Functions that show a notice or name a cause: the name of the function, and the names of its first parameters.
 */
const TELLING_CALLS = new Map([
  ['notice', ['level', 'code', 'message', 'fix']],
  ['notify', ['level', 'code', 'message', 'fix']],
  ['tellSimulationError', ['error', 'message', 'code']],
  ['cause', ['kind', 'evidence', 'fix']],
]);

/** The parts of a ConfigError's message, in the order of its constructor's parameters. */
const CONFIG_PARTS = ['field', 'expected', 'got', 'fix'];

/**
 * The text of an error's message. Some errors, such as ConfigError, compose it from their arguments; the others
 * contain the text itself.
 */
const sentence = ({ message, field, expected, got, fix }) =>
  message ?? `${field}: expected ${expected}, got ${got}${fix === undefined ? '' : `; ${fix}`}`;

/** All errors, notices and causes in the sources, in the order of the files. */
export function readErrors() {
  const files = filesUnder(['src'], (file) => /(?<!\.d)\.tsx?$/.test(file) && !file.includes('.generated.'));
  const program = programOf(files);
  const checker = program.getTypeChecker();
  const read = textReader(checker);
  const readCode = textReader(checker, { namesUnions: true });
  const found = { classes: [], messages: [], notices: [], causes: [] };

  const fieldsOf = (node) =>
    Object.fromEntries(
      node.properties
        .filter((one) => one.name !== undefined)
        .map((one) => [one.name.getText(), ts.isPropertyAssignment(one) ? one.initializer : one.name]),
    );

  /** All combinations of the texts that the parts of a message can have. */
  function combinations(parts) {
    return Object.entries(parts).reduce(
      (all, [name, texts]) => all.flatMap((one) => texts.map((text) => ({ ...one, [name]: text }))),
      [{}],
    );
  }

  const isError = (type) => type.symbol?.name === 'Error' || (type.getBaseTypes?.() ?? []).some(isError);

  function visitClass(node, file) {
    if (!isError(checker.getTypeAtLocation(node))) return;
    const symbol = checker.getSymbolAtLocation(node.name);
    const is = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    found.classes.push({ name: node.name.text, is, file, isPublic: /\bexport\b/.test(node.getText()) });
  }

  function visitNew(node, file) {
    const name = node.expression.getText();
    const [first] = node.arguments ?? [];
    if (first === undefined || !ts.isIdentifier(node.expression)) return;
    if (name !== 'Error' && !isError(checker.getTypeAtLocation(node))) return;
    let parts = { message: first };
    if (name === 'ConfigError')
      parts = Object.fromEntries(CONFIG_PARTS.map((part, i) => [part, node.arguments[i]]));
    else if (ts.isObjectLiteralExpression(first)) parts = fieldsOf(first);
    const { message, field, expected, got, fix } = parts;
    const told = message === undefined ? { field, expected, got, ...(fix && { fix }) } : { message };
    for (const one of combinations(mapped(told, read)))
      found.messages.push({ name, text: sentence(one), file });
  }

  function visitCall(node, file) {
    const callee = node.expression;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
    const parameters = TELLING_CALLS.get(name);
    if (parameters === undefined || node.arguments.length < parameters.length) return;
    const told = Object.fromEntries(parameters.map((part, i) => [part, node.arguments[i]]));
    if (name === 'cause') addCause(told, file);
    else addNotice(told, file);
  }

  function addNotice({ level, code, message, fix }, file) {
    const codes = readCode(code);
    // If the code is not known here, this call only passes on a notice that another function reports.
    if (codes.every((text) => text === '…')) return;
    const [severity] = level === undefined ? ['error'] : read(level);
    const told = { level: severity, messages: read(message), fixes: fix ? read(fix) : ['…'], file };
    for (const one of codes) found.notices.push({ code: one, ...told });
  }

  function addCause({ kind, evidence, fix }, file) {
    const codes = readCode(kind).filter((text) => text !== '…');
    const told = { messages: read(evidence), fixes: read(fix), file };
    for (const code of codes) found.causes.push({ code, ...told });
  }

  function visitObject(node, file) {
    const fields = fieldsOf(node);
    if (fields.code && fields.message && fields.fix) addNotice(fields, file);
    if (fields.kind && fields.evidence && fields.fix) addCause(fields, file);
  }

  function visit(node, file) {
    if (ts.isClassDeclaration(node) && node.name) visitClass(node, file);
    if (ts.isNewExpression(node)) visitNew(node, file);
    if (ts.isCallExpression(node)) visitCall(node, file);
    if (ts.isObjectLiteralExpression(node)) visitObject(node, file);
    ts.forEachChild(node, (child) => visit(child, file));
  }

  for (const file of files) visit(program.getSourceFile(file), pathOf(file));
  found.messages.push(...refusalsOfCore());
  return found;
}

const mapped = (object, f) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]));

const REFUSAL = /\bFail(?:In\("(\w+)", )?\(?"([\w.]+)",\s*"([^"]+)"\)/g;

/**
 * The error messages of the ABI's functions, as `field: expected …`. This text becomes the message of a
 * CoreError.
 */
function refusalsOfCore() {
  return filesUnder(['wasm/abi'], (file) => file.endsWith('.cc')).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(REFUSAL)].map(([, group, field, expectation]) => ({
      name: 'CoreError',
      text: `${group === undefined ? '' : `${group}.`}${field}: ${expectation}`,
      file: pathOf(file),
    })),
  );
}
