/** The tests of the examples run as those of their users do, without the configuration of the folder above. */
export default {};
