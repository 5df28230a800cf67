export const PROTOCOLS = ["SCTP", "TCP", "UDP"];
