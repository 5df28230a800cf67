/** Methods that work when they are taken out of their object: `const { recorder } = manager`. */

/**
 * Binds the methods that `type` declares to `instance`, one of its objects. Call it at the end of a constructor.
 */
export function bindMethods(instance: object, type: { readonly prototype: object }): void {
  for (const [name, { value }] of Object.entries(
    Object.getOwnPropertyDescriptors(type.prototype),
  )) {
    if (name === "constructor" || typeof value !== "function") continue;
    const method = value as (...given: unknown[]) => unknown;
    Object.defineProperty(instance, name, {
      value: method.bind(instance),
      configurable: true,
      writable: true,
    });
  }
}
