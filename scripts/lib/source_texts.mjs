// Finds the strings that an expression in the sources can evaluate to at run time. Constants are resolved; `…`
// stands for parts that are known only at run time.
import ts from 'typescript';

const UNKNOWN = ['…'];
/** An expression with more texts than this is shown as `…`. */
const MOST_TEXTS = 6;

const combined = (heads, tails) => heads.flatMap((head) => tails.map((tail) => head + tail));

/**
 * Returns a function that finds the texts of an expression. If `namesUnions` is set, and the type of a value is a
 * union of string literals, the texts of the value are these literals.
 */
export function textReader(checker, { namesUnions = false } = {}) {
  function read(node) {
    if (node === undefined) return UNKNOWN;
    const texts = [...new Set(valuesOf(node))];
    return texts.length > MOST_TEXTS ? UNKNOWN : texts;
  }

  function valuesOf(node) {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isNumericLiteral(node)) return [node.text];
    if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? UNKNOWN : read(node.body);
    if (ts.isTemplateExpression(node)) return templateOf(node);
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return valuesOf(node.expression);
    if (ts.isConditionalExpression(node)) return [...read(node.whenTrue), ...read(node.whenFalse)];
    if (ts.isBinaryExpression(node)) return binaryOf(node);
    if (ts.isCallExpression(node)) return callOf(node);
    if (ts.isIdentifier(node)) return nameOf(node);
    return literalsOf(node);
  }

  function templateOf({ head, templateSpans }) {
    return templateSpans.reduce(
      (texts, { expression, literal }) => combined(combined(texts, read(expression)), [literal.text]),
      [head.text],
    );
  }

  function binaryOf({ left, operatorToken: { kind }, right }) {
    if (ts.isNumericLiteral(left) || ts.isNumericLiteral(right)) return UNKNOWN;
    if (kind === ts.SyntaxKind.PlusToken) return combined(read(left), read(right));
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken)
      return [...read(left), ...read(right).filter((text) => text !== '')];
    return UNKNOWN;
  }

  /**
   * The texts that a call can return. A function with a single constant argument is assumed to return a string that
   * contains the argument, so the result is the argument. Otherwise, if the body of the function is an expression,
   * the texts are the values of this expression.
   */
  function callOf({ expression, arguments: [argument, ...more] }) {
    if (!ts.isIdentifier(expression)) return UNKNOWN;
    const texts = argument === undefined || more.length > 0 ? UNKNOWN : read(argument);
    const isConstant =
      !ts.isNumericLiteral(argument ?? expression) && !texts.some((text) => text.includes('…'));
    return isConstant ? texts : nameOf(expression);
  }

  function nameOf(node) {
    const shorthand = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const isAlias = shorthand !== undefined && (shorthand.flags & ts.SymbolFlags.Alias) !== 0;
    const declaration = (isAlias ? checker.getAliasedSymbol(shorthand) : shorthand)?.valueDeclaration;
    const isConstant =
      declaration !== undefined &&
      ts.isVariableDeclaration(declaration) &&
      ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const;
    return isConstant && declaration.initializer ? read(declaration.initializer) : literalsOf(node);
  }

  function literalsOf(node) {
    if (!namesUnions) return UNKNOWN;
    const type = checker.getTypeAtLocation(node);
    const types = type.isUnion() ? type.types : [type];
    return types.every((one) => one.isStringLiteral()) ? types.map(({ value }) => value) : UNKNOWN;
  }

  return read;
}

/** A TypeScript program built from these files; it is used to look up their types. */
export function programOf(files) {
  return ts.createProgram(files, {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    jsx: ts.JsxEmit.Preserve,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  });
}
