// Unpacks a file as a Java client does, in pieces of seven bytes: java Gunzip.java PACKED PLAIN

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

class Gunzip {
    /** Hands out at most seven bytes at a time and never says that there are more, as a slow connection. */
    static class Slow extends FilterInputStream {
        Slow(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            return super.read(into, at, Math.min(length, 7));
        }

        @Override
        public int available() {
            return 0;
        }
    }

    public static void main(String[] args) throws IOException {
        try (InputStream packed = Files.newInputStream(Path.of(args[0]));
                InputStream plain = new GZIPInputStream(new Slow(packed), 16);
                OutputStream out = Files.newOutputStream(Path.of(args[1]))) {
            plain.transferTo(out);
        }
    }
}
