// The theme's own fonts are left out: those of the reader's system serve.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;
