/** What stands before our scripts in runtime/worker.js. */
declare const loadPyodide: (options: Record<string, any>) => Promise<any>;
declare let _createPyodideModule: (settings: any) => Promise<any>;
/** A lock of no packages: ours are unpacked, not installed. */
declare const PYODIDE_LOCK: object;
declare const createJpegDecoder: (options: Record<string, any>) => Promise<{
  decode(data: Uint8Array, upright: boolean): { width: number; height: number; data: Uint8ClampedArray };
}>;
declare class ImageDecoder {
  static isTypeSupported(type: string): Promise<boolean>;
  constructor(options: { data: Uint8Array; type: string });
  decode(): Promise<{ image: VideoFrame }>;
  close(): void;
}
