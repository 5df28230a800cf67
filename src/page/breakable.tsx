/** A long name that may be broken between its parts, and not within them. */
import { Fragment, type JSX } from "preact";

/** `spec.containers[name=web].image`, `tokenreviews.authentication.k8s.io`. */
export function Breakable({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text.split(/(?<=[.\]/])/).map((part, place) => (
        <Fragment key={place}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  );
}
