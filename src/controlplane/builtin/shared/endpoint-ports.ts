/** Ports of Endpoints and EndpointSlices. */
export const PROTOCOLS = ["SCTP", "TCP", "UDP"];
