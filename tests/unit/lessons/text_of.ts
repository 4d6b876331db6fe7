import type { ComponentChildren, VNode } from 'preact';

/** The text that is displayed; each paragraph becomes a line. */
export function textOf(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(textOf).join('');
  if (typeof children === 'string' || typeof children === 'number') return String(children);
  if (children === null || typeof children !== 'object' || !('props' in children)) return '';
  const node = children as VNode<{ children?: ComponentChildren }>;
  const text = textOf(node.props.children);
  return node.type === 'p' ? `${text}\n` : text.replace(/\n$/, '');
}
