// Runs Weka's J48 on the random tables of compare_j48.py, and writes its trees and what they say of every row.
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import weka.classifiers.trees.J48;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.Utils;

public class CompareJ48 {
    static Instances read(Path file) throws Exception {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            Instances rows = new Instances(reader);
            rows.setClassIndex(rows.numAttributes() - 1);
            return rows;
        }
    }

    static void run(Path here, String name, String options) throws Exception {
        Instances rows = read(here.resolve(name + ".arff"));
        J48 tree = new J48();
        tree.setOptions(Utils.splitOptions(options));
        tree.buildClassifier(rows);
        StringBuilder said = new StringBuilder();
        for (Instances part : new Instances[] {rows, read(here.resolve(name + "_fresh.arff"))}) {
            for (Instance row : part) {
                said.append(tree.classifyInstance(row));
                for (double share : tree.distributionForInstance(row)) said.append(' ').append(share);
                said.append('\n');
            }
        }
        Files.writeString(here.resolve(name + "_said.txt"), said);
        Files.writeString(here.resolve(name + "_tree.txt"), tree.toString());
    }

    public static void main(String[] folder) throws Exception {
        Path here = Paths.get(folder[0]);
        for (String line : Files.readAllLines(here.resolve("cases.txt"))) {
            String[] words = line.split(" ", 2);
            try {
                run(here, words[0], words.length > 1 ? words[1] : "");
            } catch (IllegalArgumentException refused) {
                System.out.println("seed " + words[0] + ": J48 refuses: " + refused.getMessage());
            }
        }
    }
}
