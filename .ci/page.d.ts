// What the scripts take for granted of the page, for `tsc`: elements that are looked up are HTML elements.
interface Window {
  seps: any;
}
interface Element {
  click(): void;
  readonly dataset: DOMStringMap;
  hidden: boolean;
  readonly offsetLeft: number;
  readonly offsetParent: Element | null;
  readonly offsetWidth: number;
}
interface MapConstructor {
  new (entries: any[][]): Map<any, any>;
}
