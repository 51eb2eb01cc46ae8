// A file that was dropped outside the view of imports, on its way there.

let handed: File | null = null;

export function handFile(file: File): void {
  handed = file;
}

export function takeFile(): File | null {
  const file = handed;
  handed = null;
  return file;
}
