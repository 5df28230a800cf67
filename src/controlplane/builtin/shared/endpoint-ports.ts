/** Ports of Endpoints and EndpointSlices. */
import { type FieldError, nameErrorsAt } from "../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../kube/names.ts";

export const PROTOCOLS = ["SCTP", "TCP", "UDP"];

export interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

export const appProtocolErrors = (at: string, appProtocol: string | undefined): FieldError[] =>
  appProtocol === undefined
    ? []
    : nameErrorsAt(`${at}.appProtocol`, appProtocol, qualifiedNameErrors);
